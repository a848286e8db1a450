/** Less than the time after which anybody on the way takes silence for a dead connection. */
const BEAT_MS = 20_000;
const ENCODER = new TextEncoder();
const BEAT = ENCODER.encode('\n');

/**
 * Answers with JSON that may take long to come. Until then empty lines show that the connection is alive, and JSON may
 * begin with them. There is no JSON at all if nothing came.
 */
export function patientJson(coming: Promise<unknown>, leave: () => void): Response {
  let timer: ReturnType<typeof setInterval>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let isGone = false;
      timer = setInterval(() => controller.enqueue(BEAT), BEAT_MS);
      const end = (text: string) => {
        clearInterval(timer);
        if (isGone) return;
        isGone = true;
        if (text !== '') controller.enqueue(ENCODER.encode(text));
        controller.close();
      };
      coming.then(
        (value) => end(value === undefined ? '' : JSON.stringify(value)),
        () => end(''),
      );
    },
    cancel() {
      clearInterval(timer);
      leave();
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store, no-transform' },
  });
}
