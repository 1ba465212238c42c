import type { SecretKey } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import type { HashJob, PasswordEngine } from '../engines/engine.ts'
import { hashKinds } from '../engines/engines.ts'
import { PasswordError } from '../errors.ts'
import type { PasswordAlgorithm } from '../formats/algorithm.ts'
import { computeDigest, writeDigestLayer } from '../formats/digest-layer.ts'
import { type LayeredHash, readStoredHash } from '../formats/read-stored-hash.ts'
import { readWeakDigest } from '../formats/read-weak-digest.ts'
import { type PasswordInput, readPassword } from '../read-password.ts'
import { type PasswordHasherOptions, readHasherOptions } from './hasher-options.ts'
import { createLimiter } from './limiter.ts'
import { createHashMeter } from './password-measurement.ts'
import { applyPepper } from './pepper.ts'

export interface HashOptions {
  /** `login` (the default): a request waits for it. `idle`: computed when no login waits, as for a rehash after a login. */
  readonly lane?: 'login' | 'idle'
  /**
   * The client of the password, for example the address of a request. Clients that wait in one lane take turns, and if
   * it is full, the client with the most waiting passwords gives a place to a client with fewer. Omitted or `null`: all
   * of these are the same client.
   */
  readonly client?: string | null
  /** Leaves the queue when aborted, and rejects with the signal's reason. A hash that has started is not stopped. */
  readonly signal?: AbortSignal
}

/** The answer to a password: `needsRehash` is true only if `ok` is. */
export interface PasswordVerdict {
  readonly ok: boolean
  /**
   * The hash is valid but differs from the hashes that this hasher writes now: another algorithm, cost or pepper key,
   * or a wrapped digest.
   */
  readonly needsRehash: boolean
}

/** Hashes and verifies passwords off the event loop, a bounded number at a time. */
export interface PasswordHasher {
  /**
   * Returns the text to store.
   * @throws PasswordError PASSWORD_INVALID, PASSWORD_TOO_LONG, PASSWORD_HASHER_UNAVAILABLE, PASSWORD_HASHER_CLOSED.
   */
  hash(password: string, options?: HashOptions): Promise<string>
  /**
   * Verifies a password against a stored hash. Computes exactly one hash whatever the input is: `null`
   * for an unknown account, a stored text that is no hash, a malformed password.
   * @throws PasswordError PASSWORD_HASHER_UNAVAILABLE, PASSWORD_HASHER_CLOSED: there was no verdict.
   */
  verify(password: string, stored: string | null, options?: HashOptions): Promise<PasswordVerdict>
  /**
   * Puts a slow hash around a weak digest that an old system stored, without knowing the password.
   * @throws PasswordError PASSWORD_HASH_INVALID, PASSWORD_HASHER_UNAVAILABLE, PASSWORD_HASHER_CLOSED.
   */
  wrap(
    digest: string,
    options: {
      /** The algorithm of the old system. */
      readonly algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512'
      /** The salt that the old system joined with the password, as text: at most 64 bytes. */
      readonly salt?: string
      /** Whether it stood `before` the password (the default) or `after` it. */
      readonly saltPosition?: 'before' | 'after'
    } & HashOptions,
  ): Promise<string>
  /**
   * Returns the name of the engine for each kind of hash, `none` if this runtime has no engine for it, and the place of
   * the computation.
   *
   * @throws PasswordError PASSWORD_HASHER_CLOSED.
   */
  engines(): Promise<
    Readonly<Record<PasswordEngine['kinds'][number], string>> & { readonly place: 'worker' | 'thread' }
  >
  /** Refuses further work; resolves when all accepted work is done and every worker has exited. */
  close(): Promise<void>
  readonly stats: {
    /** Hashes being computed. */
    readonly running: number
    /** Passwords waiting in the login lane. */
    readonly waiting: number
    /** Passwords waiting in the idle lane. */
    readonly waitingIdle: number
    /** Hashes computed so far, one for each `hash`, `verify` and `wrap` that was accepted. */
    readonly evaluations: number
    /** Stored hashes that could not be read; `null` does not count. Should stay zero. */
    readonly unreadable: number
  }
}

const hashOptionNames = { lane: true, client: true, signal: true } as const
const wrapOptionNames = { ...hashOptionNames, algorithm: true, salt: true, saltPosition: true } as const

/**
 * Creates a hasher with parameters, pepper, engines and limits of your own. It starts no workers before the first password.
 *
 * @throws TypeError naming the option that is out of range or unknown.
 *
 * @example
 * import { createPasswordHasher } from '@latchkey/password'
 * const hasher = createPasswordHasher({ argon2id: { memoryKib: 65_536, iterations: 3 }, queueLimit: 500 })
 * const stored = await hasher.hash('correct horse battery staple')
 * await hasher.verify('correct horse battery staple', stored) // { ok: true, needsRehash: false }
 * await hasher.close()
 */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { algorithm, pepper, runner, concurrency, queueLimit, maximumBytes, now, onMeasurement } =
    readHasherOptions(options)
  const measure = createHashMeter(onMeasurement)
  const limiter = createLimiter({ concurrency, queueLimit, now })
  let evaluations = 0
  let unreadable = 0
  let closing: Promise<void> | undefined

  const compute = async (job: HashJob, { lane = 'login', client = null, signal }: HashOptions): Promise<Uint8Array> => {
    if (lane !== 'login' && lane !== 'idle') throw new TypeError('"lane" must be "login" or "idle"')
    const work = (): Promise<Uint8Array> => {
      evaluations++
      return runner.run(job)
    }
    const place = { lane, client, signal }
    return limiter.run(measure ? measure(work, lane) : work, place).finally(() => job.password.fill(0))
  }

  const write = async (text: string, prefix: string, options: HashOptions): Promise<string> => {
    const { password, layer } = applyPepper(text, pepper?.[0])
    refuseTooLong(password, algorithm)
    const { job, write: format } = algorithm.begin(password)
    return prefix + layer + format(await compute(job, options))
  }

  const read = (stored: unknown): LayeredHash | null => {
    const found = readStoredHash(stored)
    const isKnown = found && (found.pepperKeyId === null || pepper?.some(({ id }) => id === found.pepperKeyId))
    if (!isKnown && stored !== null) unreadable++
    return isKnown ? found : null
  }

  /** The job that verifies the password, or `null` when the verdict is `false` in any case. */
  const prepare = async (input: PasswordInput | null, found: LayeredHash | null): Promise<HashJob | null> => {
    if (!input || !found) return null
    const text = found.digest ? await computeDigest(found.digest, input.typed) : await found.hash.spell(input)
    const key = pepper?.find(({ id }) => id === found.pepperKeyId)
    return found.hash.jobFor(applyPepper(text, key).password)
  }

  const isCurrent = ({ digest, pepperKeyId, hash }: LayeredHash): boolean =>
    digest === null &&
    pepperKeyId === (pepper?.[0].id ?? null) &&
    hash.algorithm === algorithm.name &&
    hash.format === (algorithm.name === 'bcrypt' ? 'bcrypt' : 'phc') &&
    Object.entries(algorithm.parameters).every(([name, value]) => hash.parameters[name] === value)

  return {
    async hash(password, options = {}) {
      checkOptionNames('hash', options, hashOptionNames)
      const input = readPassword(password, maximumBytes)
      if (typeof input === 'string') throw refusalOf(input, maximumBytes)
      return write(input.text, '', options)
    },
    async verify(password, stored, options = {}) {
      checkOptionNames('verify', options, hashOptionNames)
      const input = readPassword(password, maximumBytes)
      const found = read(stored)
      const job = await prepare(typeof input === 'string' ? null : input, found)
      const output = await compute(job ?? decoyOf(algorithm, pepper?.[0]), options)
      const ok = job !== null && found !== null && (await found.hash.matches(output))
      return { ok, needsRehash: ok && !isCurrent(found) }
    },
    async wrap(digest, options) {
      checkOptionNames('wrap', options, wrapOptionNames)
      const { hexadecimal, layer } = readWeakDigest(digest, options)
      return write(hexadecimal, `$${writeDigestLayer(layer)}`, options)
    },
    async engines() {
      if (closing) throw new PasswordError('PASSWORD_HASHER_CLOSED', 'this hasher was closed')
      const names: Partial<Record<HashJob['kind'], string>> = {}
      for (const kind of hashKinds) names[kind] = await runner.engineName(kind)
      return { ...(names as Record<HashJob['kind'], string>), place: runner.place }
    },
    close() {
      closing ??= limiter.close().then(() => runner.close())
      return closing
    },
    get stats() {
      return { ...limiter.stats, evaluations, unreadable }
    },
  }
}

/** The same work as for a wrong password, for an answer that is no already. */
function decoyOf(algorithm: PasswordAlgorithm, key: SecretKey | undefined): HashJob {
  return algorithm.begin(applyPepper('a password of no account', key).password).job
}

function refuseTooLong(password: Uint8Array, { name, maximumBytes }: PasswordAlgorithm): void {
  if (maximumBytes === null || password.length <= maximumBytes) return
  throw new PasswordError('PASSWORD_TOO_LONG', `${name} reads at most ${maximumBytes} bytes of a password`)
}

function refusalOf(code: 'PASSWORD_INVALID' | 'PASSWORD_TOO_LONG', maximumBytes: number): PasswordError {
  if (code === 'PASSWORD_TOO_LONG') return new PasswordError(code, `a password has at most ${maximumBytes} bytes`)
  return new PasswordError(code, 'a password is a non-empty, well-formed text without NUL characters')
}
