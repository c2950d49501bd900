// What the programs and examples use of Node, without its types.
declare const process: { argv: string[]; env: Record<string, string | undefined>; exit(code: number): never };
declare module "node:fs" {
  export function openAsBlob(path: string): Promise<Blob>;
}
declare module "node:fs/promises" {
  export function writeFile(path: string, text: string): Promise<void>;
}
