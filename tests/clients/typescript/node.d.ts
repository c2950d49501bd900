// What the tasks use of Node, without its types.
declare const process: { argv: string[] };
declare module "node:fs" {
  export function openAsBlob(path: string): Promise<Blob>;
}
