interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Groups writes. All that are asked during one commit go together into the next. A lone caller waits for
 * nobody, and a failing write fails alone.
 */
export class GroupCommit<Asked, Answer> {
  readonly #storage: DurableObjectStorage;
  readonly #write: (asked: Asked) => Answer;
  #waiting: Waiting<Asked, Answer>[] = [];
  #isCommitting = false;

  constructor(storage: DurableObjectStorage, write: (asked: Asked) => Answer) {
    this.#storage = storage;
    this.#write = write;
  }

  ask(asked: Asked): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ asked, resolve, reject });
    if (!this.#isCommitting) void this.#writeWaiting();
    return promise;
  }

  async #writeWaiting(): Promise<void> {
    this.#isCommitting = true;
    try {
      while (this.#waiting.length > 0) {
        const taken = this.#waiting;
        this.#waiting = [];
        // Without an `await` between them, the runtime commits all of these together. Its output gate holds
        // each answer until the write is on disk.
        for (const one of taken) this.#writeOne(one);
        await this.#storage.sync();
      }
    } catch (error) {
      // The disk failed, and the object with it.
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    } finally {
      this.#isCommitting = false;
    }
  }

  #writeOne({ asked, resolve, reject }: Waiting<Asked, Answer>): void {
    try {
      resolve(this.#storage.transactionSync(() => this.#write(asked)));
    } catch (error) {
      reject(error);
    }
  }
}
