interface Env {
  readonly BLOBS: R2Bucket;
}

/** The least work that reads a content: `PUT /name` stores one, `POST /name` gives it. */
export default {
  async fetch(request, env) {
    const name = new URL(request.url).pathname.slice(1);
    if (request.method === 'GET') return new Response('ok');
    if (request.method === 'PUT') {
      await env.BLOBS.put(name, await request.arrayBuffer());
      return new Response();
    }
    await request.text();
    const found = await env.BLOBS.get(name);
    return new Response(found ? await found.text() : null, { status: found ? 200 : 404 });
  },
} satisfies ExportedHandler<Env>;
