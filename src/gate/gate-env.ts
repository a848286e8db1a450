/** The object's settings from the Worker's configuration. */
export interface GateEnv {
  /** The store for old calls. */
  readonly BLOBS?: R2Bucket;
  readonly BLOB_NAMES_BEGIN?: string;
  /** The key that signs what goes to the store. */
  readonly MEMORY_KEY?: string;
}
