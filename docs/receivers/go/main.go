// A hook receiver in Go that only uses the standard library.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log"
	"net/http"
	"os"
)

const largestBody = 1 << 20

func main() {
	secret := os.Getenv("HOOK_SECRET")
	if secret == "" {
		log.Fatal("Set HOOK_SECRET to the secret of the hook.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, receive([]byte(secret))))
}

func receive(secret []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		// The signature covers these exact bytes: verify it before parsing the JSON, and never re-serialize the JSON.
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if !isGenuine(secret, body, r.Header.Get("X-Service-Signature")) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		// Put the body into your own queue here, and respond immediately. A delivery may arrive twice: if you have seen
		// its webhook-id before, it is the same event.
		log.Println(r.Header.Get("X-Service-Event"), r.Header.Get("webhook-id"))
		w.WriteHeader(http.StatusOK)
	}
}

func isGenuine(secret, body []byte, given string) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(given), []byte(expected))
}
