/** What Cloudflare's plans count, in the whole gateway. */
export interface Cost {
  /** Requests to the Worker. */
  requests: number;
  /** Requests to objects, from the Worker and from each other. */
  objects: number;
  /** Messages that came in on sockets. Twenty of them count as one request to an object. */
  messages: number;
  rowsRead: number;
  rowsWritten: number;
  kvReads: number;
  /** Writes, deletions and lists of the store, which are billed alike. */
  kvWrites: number;
  /** Operations on the bucket that change it, and those that read. */
  bucketA: number;
  bucketB: number;
}
