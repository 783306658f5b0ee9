/** What a test takes of Node, without all of its types: the page itself has none of it. */
declare module "node:fs" {
  export function existsSync(path: string): boolean
  export function readFileSync(path: string, encoding: "utf-8"): string
}
declare const process: { env: Record<string, string | undefined> }
