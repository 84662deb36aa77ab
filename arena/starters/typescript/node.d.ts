// What bot.ts uses of Node, so that the compiler needs no package. With @types/node this file can go.

declare module "node:process" {
  interface Output {
    write(text: string): boolean;
  }
  const process: { stdin: unknown; stdout: Output; stderr: Output };
  export default process;
}

declare module "node:readline" {
  interface Lines {
    on(event: "line", listener: (line: string) => void): this;
  }
  export function createInterface(options: { input: unknown }): Lines;
}
