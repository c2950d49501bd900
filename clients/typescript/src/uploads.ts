/** Uploads of any size: small files in one request, large ones in chunks that continue after a broken connection. */

import { type CallOptions, Resource, path } from "./core.js";
import { ApiError, ConnectionError, SocialgateError, UploadInterrupted } from "./errors.js";
import type { MediaItem, UploadState } from "./types.js";

const CHUNK_BYTES = 8 * 1024 * 1024;
// With the last chunk the service assembles the file before it responds.
const CHUNK_TIMEOUT = 600_000;
// How often in a row a chunk may fail without any progress.
const MAX_FAILURES = 10;
const TUS = { "tus-resumable": "1.0.0" };

/** What an upload has of its own. */
export interface UploadOptions extends CallOptions {
  /** The profile that the file belongs to. */
  profileId?: string;
  /** The name of the file; by default that of a `File`. */
  fileName?: string;
  /** Called with the number of bytes that were received, and the size of the file. */
  onProgress?: (received: number, size: number) => void;
  /** Continue an upload that stopped: the `uploadId` of `UploadInterrupted`. */
  resume?: string;
  /** How many bytes are sent at a time. */
  chunkBytes?: number;
}

/** Adds uploads to the methods of media. */
export class MediaUploads extends Resource {
  /**
   * Upload a file of any size, and return it when the service has it.
   *
   * A file that is larger than a chunk is sent in chunks, and goes on where it stopped when the connection breaks.
   *
   * @param file Its bytes, or a `Blob` or `File`. In Node, `openAsBlob(path)` of `node:fs` opens a file of any size.
   */
  async upload(file: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer, options: UploadOptions = {}): Promise<MediaItem> {
    const blob = file instanceof Blob ? file : new Blob([file]);
    const name = options.fileName ?? ("name" in blob ? String(blob.name) : "file");
    const isSmall = blob.size <= (options.chunkBytes ?? CHUNK_BYTES) && options.resume === undefined;
    const media = isSmall ? await this.#sendAtOnce(blob, name, options) : await this.#sendInChunks(blob, name, options);
    options.onProgress?.(blob.size, blob.size);
    return media;
  }

  #sendAtOnce(blob: Blob, fileName: string, options: UploadOptions): Promise<MediaItem> {
    const query = { profileId: options.profileId, fileName };
    const headers = { "content-type": "application/octet-stream" };
    const request = { method: "POST", path: "/upload", query, content: blob, headers, once: true };
    return this.http.call<MediaItem>(request, patient(options));
  }

  async #sendInChunks(blob: Blob, name: string, options: UploadOptions): Promise<MediaItem> {
    const id = options.resume ?? (await this.#create(blob.size, name, options));
    const url = path`/uploads/${id}`;
    try {
      let offset = await this.#offset(url, blob.size, options);
      let failures = 0;
      while (offset < blob.size) {
        options.onProgress?.(offset, blob.size);
        const reached = await this.#sendChunk(url, blob, offset, options);
        failures = reached > offset ? 0 : failures + 1;
        if (failures >= MAX_FAILURES) throw new ConnectionError("The upload makes no progress.");
        offset = reached;
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const message = `${error.message} Continue the upload with resume: "${id}".`;
      throw new UploadInterrupted(message, id, { cause: error });
    }
    const { media } = await this.http.call<UploadState>({ method: "GET", path: url }, patient(options));
    if (media === null) throw new SocialgateError(`The upload ${id} is not complete.`);
    return media;
  }

  async #create(size: number, name: string, options: UploadOptions): Promise<string> {
    const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(name)));
    const headers = { ...TUS, "upload-length": String(size), "upload-metadata": `filename ${encoded}` };
    const query = { profileId: options.profileId };
    // An upload that is created twice, and of which one stays empty, is deleted after a day.
    const request = { method: "POST", path: "/uploads", query, headers, mayRepeat: true };
    const response = await this.http.fetch(request, rest(options));
    return (response.headers.get("location") ?? "").split("/").pop() ?? "";
  }

  /** Ask how much was received. */
  async #offset(url: string, size: number, options: UploadOptions): Promise<number> {
    const { headers } = await this.http.fetch({ method: "HEAD", path: url, headers: TUS }, rest(options));
    const expected = Number(headers.get("upload-length"));
    if (expected !== size) throw new SocialgateError(`${url} expects ${expected} bytes, and the file has ${size}.`);
    return Number(headers.get("upload-offset"));
  }

  /** Send a chunk, and return how much was received then. After a break, the service says where to continue. */
  async #sendChunk(url: string, blob: Blob, offset: number, options: UploadOptions): Promise<number> {
    const content = blob.slice(offset, offset + (options.chunkBytes ?? CHUNK_BYTES));
    const type = { "content-type": "application/offset+octet-stream" };
    const headers = { ...TUS, ...type, "upload-offset": String(offset) };
    try {
      // A part of a chunk may have been received: it is not sent again by itself.
      const request = { method: "PATCH", path: url, content, headers, mayRepeat: false };
      const response = await this.http.fetch(request, patient(options));
      return Number(response.headers.get("upload-offset"));
    } catch (error) {
      const mayPass = error instanceof ApiError && (error.status === 409 || error.status === 429);
      if (!mayPass && !(error instanceof ConnectionError)) throw error;
      return this.#offset(url, blob.size, options);
    }
  }
}

/** Leave out what is not about requests. */
function rest({ signal, headers, maxRetries, timeout }: UploadOptions): CallOptions {
  return {
    ...(signal && { signal }),
    ...(headers && { headers }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(timeout !== undefined && { timeout }),
  };
}

function patient(options: UploadOptions): CallOptions {
  return { timeout: CHUNK_TIMEOUT, ...rest(options) };
}
