<?php
// A hook receiver in PHP that only uses the standard library.

declare(strict_types=1);

$secret = (string) getenv('HOOK_SECRET');
if ($secret === '') {
    error_log('Set HOOK_SECRET to the secret of the hook.');
    http_response_code(500);
    return;
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    header('Allow: POST');
    http_response_code(405);
    return;
}

// The signature covers these exact bytes: verify it before parsing the JSON, and never re-serialize the JSON.
$body = (string) file_get_contents('php://input');
$expected = 'sha256=' . hash_hmac('sha256', $body, $secret);
if (!hash_equals($expected, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '')) {
    http_response_code(401);
    return;
}

// Put the body into your own queue here, and respond immediately. A delivery may arrive twice: if you have seen its
// webhook-id before, it is the same event.
error_log(($_SERVER['HTTP_X_SERVICE_EVENT'] ?? '') . ' ' . ($_SERVER['HTTP_WEBHOOK_ID'] ?? ''));
http_response_code(200);
