import { randomBytes, randomUUID } from 'node:crypto';

/** A part of a Worker's upload: a module, or the map of one. */
export interface UploadedPart {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

export interface Binding {
  readonly name: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Migrations {
  readonly old_tag?: string;
  readonly new_tag: string;
  readonly steps: readonly { readonly new_sqlite_classes?: readonly string[] }[];
}

export interface Metadata {
  readonly main_module: string;
  readonly bindings: readonly Binding[];
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly keep_bindings?: readonly string[];
  readonly migrations?: Migrations;
}

/** What Cloudflare keeps of one upload. Secrets belong to a version, and a new one inherits them. */
export interface Version {
  readonly id: string;
  readonly metadata: Omit<Metadata, 'bindings' | 'keep_bindings' | 'migrations'>;
  readonly parts: readonly UploadedPart[];
  readonly bindings: readonly Binding[];
}

/** A refusal as Cloudflare's API words it. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const hexId = () => randomBytes(16).toString('hex');

/** A Worker in the account, with its versions, the newest last. */
export interface StandInWorker {
  migrationTag?: string;
  classes: string[];
  versions: Version[];
  /** Ids of the versions that ran, the newest last. */
  deployed: string[];
  onWorkersDev: boolean;
}

/** An account at Cloudflare, empty at first, with the rules that its API enforces. */
export class StandInAccount {
  readonly id = hexId();
  readonly name = "Me's Account";
  subdomain: string | undefined = 'me';
  readonly namespaces: { id: string; title: string }[] = [];
  /** Names of the keys in a namespace, by its id. */
  readonly keys = new Map<string, string[]>();
  readonly buckets: string[] = [];
  readonly workers = new Map<string, StandInWorker>();

  worker(name: string): StandInWorker {
    const found = this.workers.get(name);
    if (found) return found;
    throw new ApiProblem(404, 10007, 'This Worker does not exist on your account.');
  }

  running(name: string): Version {
    const { versions, deployed } = this.worker(name);
    const found = versions.find(({ id }) => id === deployed.at(-1));
    if (!found) throw new ApiProblem(404, 10007, 'This Worker has no deployment.');
    return found;
  }

  makeNamespace(title: string): { id: string; title: string } {
    if (this.namespaces.some((one) => one.title === title))
      throw new ApiProblem(400, 10014, 'a namespace with this account ID and title already exists');
    const made = { id: hexId(), title };
    this.namespaces.push(made);
    return made;
  }

  makeBucket(name: string): void {
    if (this.buckets.includes(name))
      throw new ApiProblem(409, 10004, 'The bucket you tried to create already exists, and you own it.');
    this.buckets.push(name);
  }

  /** Takes an upload: whole, or not at all. */
  upload(name: string, metadata: Metadata, parts: readonly UploadedPart[]): Version {
    const before = this.workers.get(name);
    const worker = before ?? { classes: [], versions: [], deployed: [], onWorkersDev: false };
    const { bindings, keep_bindings: kept = [], migrations, ...rest } = metadata;
    const inherited = worker.versions.at(-1)?.bindings ?? [];
    if (!parts.some((part) => part.name === metadata.main_module))
      throw new ApiProblem(400, 10021, `Uncaught Error: No such module "${metadata.main_module}".`);
    const classes = this.#classesAfter(worker, migrations);
    const said = bindings.map((binding) => this.#bindingOf(binding, inherited, classes));
    const names = new Set(said.map((binding) => binding.name));
    const version = {
      id: randomUUID(),
      metadata: rest,
      parts,
      bindings: [
        ...said,
        ...inherited.filter((binding) => kept.includes(binding.type) && !names.has(binding.name)),
      ],
    };
    worker.classes = classes;
    if (migrations) worker.migrationTag = migrations.new_tag;
    worker.versions.push(version);
    this.workers.set(name, worker);
    return version;
  }

  /** Sets secrets, which makes a version that runs at once. */
  setSecrets(name: string, secrets: Readonly<Record<string, string>>): void {
    const worker = this.worker(name);
    const { id: _, ...running } = this.running(name);
    const version = {
      ...running,
      id: randomUUID(),
      bindings: [
        ...running.bindings.filter((binding) => !(binding.name in secrets)),
        ...Object.entries(secrets).map(([secret, text]) => ({ name: secret, type: 'secret_text', text })),
      ],
    };
    worker.versions.push(version);
    worker.deployed.push(version.id);
  }

  deploy(name: string, id: string, force: boolean): void {
    const worker = this.worker(name);
    const wanted = worker.versions.find((version) => version.id === id);
    if (!wanted) throw new ApiProblem(404, 10007, 'Could not find version');
    const newest = worker.versions.at(-1);
    const changed = secretsOf(newest)
      .filter((one) => !secretsOf(wanted).some((two) => two.name === one.name && two.text === one.text))
      .map((one) => one.name);
    if (changed.length > 0 && !force)
      throw new ApiProblem(400, 10220, `The following secrets have changed: ${changed.join(', ')}`);
    worker.deployed.push(id);
  }

  #classesAfter(worker: StandInWorker, migrations: Migrations | undefined): string[] {
    if (!migrations) return worker.classes;
    if (migrations.old_tag !== worker.migrationTag)
      throw new ApiProblem(
        412,
        10079,
        `when applying migration: expected tag ${worker.migrationTag ?? 'none'}, got ${migrations.old_tag ?? 'none'}`,
      );
    const made = migrations.steps.flatMap((step) => step.new_sqlite_classes ?? []);
    const twice = made.find((one) => worker.classes.includes(one));
    if (twice)
      throw new ApiProblem(
        400,
        10074,
        `Cannot apply new-class migration to class '${twice}' that is already depended on by existing Durable Objects`,
      );
    return [...worker.classes, ...made];
  }

  #bindingOf(binding: Binding, inherited: readonly Binding[], classes: readonly string[]): Binding {
    const invalid = (why: string) => new ApiProblem(400, 10021, `binding ${binding.name} ${why}`);
    if (binding.type === 'inherit') {
      const found = inherited.find((one) => one.name === binding.name);
      if (!found) throw invalid('cannot be inherited: no such binding');
      return found;
    }
    const missing =
      (binding.type === 'kv_namespace' && !this.namespaces.some((one) => one.id === binding.namespace_id)) ||
      (binding.type === 'r2_bucket' && !this.buckets.includes(String(binding.bucket_name))) ||
      (binding.type === 'durable_object_namespace' && !classes.includes(String(binding.class_name)));
    if (missing) throw invalid(`of type ${binding.type} names what is not there`);
    return binding;
  }
}

export function secretsOf(version: Version | undefined): readonly Binding[] {
  return (version?.bindings ?? []).filter((binding) => binding.type === 'secret_text');
}
