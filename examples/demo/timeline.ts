import pc from "picocolors";

/** Prints what happens as it happens, for somebody who sees this for the first time. */
export class Timeline {
  readonly #start = performance.now();

  act(title: string): void {
    console.log(`\n${pc.bold(title)}`);
  }

  note(text: string): void {
    this.#line(pc.dim("·"), text);
  }

  good(text: string): void {
    this.#line(pc.green("✓"), text);
  }

  refused(text: string): void {
    this.#line(pc.yellow("✗"), text);
  }

  bad(text: string): void {
    this.#line(pc.red("!"), text);
  }

  #line(mark: string, text: string): void {
    const seconds = ((performance.now() - this.#start) / 1000).toFixed(1).padStart(5);
    console.log(`${pc.dim(`${seconds} s`)}  ${mark} ${text}`);
  }
}
