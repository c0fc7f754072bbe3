/** Counts what is under way, so that a closing server can let it finish. */
export class InFlight {
  readonly #running = new Set<Promise<void>>();

  /** Adds something that is over when the returned function is called. */
  begin(): () => void {
    let end: () => void = () => {};
    const running = new Promise<void>((resolve) => {
      end = resolve;
    }).then(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
    return end;
  }

  /** Settles when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
