import {
  decodeBase64url,
  encodeBase64url,
  equalBytes,
  hmacSha256,
  randomBytes,
  type SecretKeys,
  sha256,
} from '@latchkey/bytes'
import {
  createCredential,
  type FactorProof,
  parseCredential,
  type RecordStore,
  type StoredRecord,
  StoreError,
} from '@latchkey/store'
import {
  defineStoredShape,
  isStoredCount,
  isStoredText,
  readTypedCode,
  type Stored,
  storedList,
  storedObject,
  storedOrNull,
} from '@latchkey/store/internal'

/** The request of a device (RFC 8628 §3.1). */
export interface DeviceRequest {
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** The account that allowed the request, with the data of its session. */
export interface DeviceApproval {
  readonly accountId: string
  readonly grantId: string
  readonly sessionKey: string
  readonly epoch: number
  readonly factors: readonly FactorProof[]
  readonly authenticatedAt: number
}

/** The verdict on the poll of a device (RFC 8628 §3.5). */
export type DevicePoll =
  /** Returned to exactly one caller. The code is used. */
  | { readonly status: 'allowed'; readonly request: DeviceRequest; readonly approval: DeviceApproval }
  | { readonly status: 'denied' }
  | { readonly status: 'pending' }
  /** The device polled before `interval` was over. */
  | { readonly status: 'too-soon' }
  /** The code is expired or used. */
  | { readonly status: 'expired' }
  /** The code is malformed, guessed or of another client. No data has changed. */
  | { readonly status: 'unknown' }

/** A device that waits for its user. */
export interface WaitingDevice {
  readonly request: DeviceRequest
  /** The public name of the device, for `claim` and `answer`. */
  readonly id: string
}

/** Codes of devices, and the answers of users. */
export interface DeviceCodes {
  create(
    request: DeviceRequest,
  ): Promise<{ readonly deviceCode: string; readonly userCode: string; readonly expiresAt: number }>
  /** Returns the device of a code that a user entered, or `null`. Case, dashes and spaces are ignored. */
  find(userCode: string): Promise<WaitingDevice | null>
  /**
   * Claims a device for one answer: `true` for exactly one caller. The device still waits, and lookups no longer find
   * it.
   */
  claim(id: string): Promise<boolean>
  /** Answers a device that the caller has claimed; `false`: it has expired. `null` denies. */
  answer(id: string, approval: DeviceApproval | null): Promise<boolean>
  /** Returns the request of an unused code, which stays unused, to check a token request before `poll`. */
  read(deviceCode: string, clientId: string): Promise<DeviceRequest | null>
  /** Returns the answer of the user, and then uses the code. */
  poll(deviceCode: string | null, clientId: string): Promise<DevicePoll>
}

interface DeviceValue {
  readonly secretHash: string
  readonly request: DeviceRequest
  /** Omitted: no user has decided yet. */
  readonly isClaimed?: true
  readonly answer: { readonly approval: DeviceApproval | null } | null
  readonly polledAt: number
}

const isApproval = storedObject({
  accountId: isStoredText,
  grantId: isStoredText,
  sessionKey: isStoredText,
  epoch: isStoredCount,
  factors: storedList(storedObject({ kind: isStoredText, at: isStoredCount })),
  authenticatedAt: isStoredCount,
})

const shape = defineStoredShape<DeviceValue>({
  name: 'device code',
  members: {
    secretHash: isStoredText,
    request: storedObject({
      clientId: isStoredText,
      scopes: storedList(isStoredText),
      resources: storedList(isStoredText),
    }),
    isClaimed: (value) => value === undefined || value === true,
    answer: storedOrNull(storedObject({ approval: storedOrNull(isApproval) })),
    polledAt: isStoredCount,
  },
})

/** Consonants, which form no words and look unlike digits (RFC 8628 §6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const kind = 'dc'

export const deviceCodeSeconds = 600
export const pollSeconds = 5

export interface DeviceCodesOptions {
  readonly records: RecordStore
  readonly now: () => number
  /** The keys of the digests of user codes. Without a key, short codes could be guessed from the store. */
  readonly secrets: SecretKeys
  readonly storedVersion: () => number
}

interface Found {
  readonly record: StoredRecord
  readonly value: Stored<DeviceValue>
}

export function createDeviceCodes({ records, now, secrets, storedVersion }: DeviceCodesOptions): DeviceCodes {
  /** The keys of a record, a key for each secret: the first key writes, and each key reads. */
  const keysOf = (userCode: string): readonly string[] =>
    secrets.map(({ bytes }) => `uc_${encodeBase64url(hmacSha256(bytes, userCode)).slice(0, 32)}`)

  async function read(key: string): Promise<Found | null> {
    const record = await records.get(key)
    return record && record.expiresAt > now() ? { record, value: shape.parse(record.value) } : null
  }

  function replace({ record, value }: Found, change: Partial<DeviceValue>): Promise<boolean> {
    const next = shape.format({ ...value, ...change }, storedVersion())
    return records.replace(record, { value: next, expiresAt: record.expiresAt })
  }

  /** Changes a waiting device; `false`: the device does not wait, or `next` makes no change. */
  async function change(id: string, next: (value: DeviceValue) => Partial<DeviceValue> | null): Promise<boolean> {
    for (let made = 0; made <= retries; made++) {
      const found = id.startsWith(`${kind}_`) ? await read(id) : null
      const changed = found && next(found.value)
      if (!found || !changed) return false
      if (await replace(found, changed)) return true
    }
    throw unusable()
  }

  /** Returns `null` if the record was changed in between. */
  async function judge(found: Found): Promise<DevicePoll | null> {
    const { answer, request, polledAt } = found.value
    if (answer === null) {
      const isTooSoon = now() - polledAt < pollSeconds * 1000
      // A poll that comes too soon restarts the interval (RFC 8628 §3.5), so its time is stored too.
      return (await replace(found, { polledAt: now() })) ? { status: isTooSoon ? 'too-soon' : 'pending' } : null
    }
    if (!(await records.remove(found.record.key))) return { status: 'expired' }
    return answer.approval ? { status: 'allowed', request, approval: answer.approval } : { status: 'denied' }
  }

  return {
    async create(request) {
      const { key, secret, text } = createCredential(kind)
      const expiresAt = now() + deviceCodeSeconds * 1000
      const value = { secretHash: encodeBase64url(sha256(secret)), request, answer: null, polledAt: 0 }
      const record = { key, owner: null, expiresAt, value: shape.format(value, storedVersion()) }
      if (!(await records.insert(record))) throw unusable()
      const userCode = await insertUserCode(key, expiresAt)
      return { deviceCode: text, userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}`, expiresAt }
    },
    async find(userCode) {
      const plain = normalizeUserCode(userCode)
      if (plain === null) return null
      for (const key of keysOf(plain)) {
        const pointer = await records.get(key)
        const found = pointer && pointer.expiresAt > now() ? await read(pointer.value) : null
        if (found) return isDecided(found.value) ? null : { request: found.value.request, id: found.record.key }
      }
      return null
    },
    claim: (id) => change(id, (value) => (isDecided(value) ? null : { isClaimed: true })),
    answer: (id, approval) => change(id, (value) => (value.answer ? null : { answer: { approval } })),
    async read(deviceCode, clientId) {
      const presented = parseCredential(kind, deviceCode)
      const found = presented && (await read(presented.key))
      return found && isOf(found.value, presented.secret, clientId) ? found.value.request : null
    },
    async poll(deviceCode, clientId) {
      const presented = parseCredential(kind, deviceCode)
      for (let made = 0; made <= retries; made++) {
        const found = presented && (await read(presented.key))
        if (presented && !found) return { status: 'expired' }
        if (!found || !isOf(found.value, presented.secret, clientId)) return { status: 'unknown' }
        const verdict = await judge(found)
        if (verdict) return verdict
      }
      throw unusable()
    },
  }

  /** Draws another code if a device has the drawn code. There are 25 billion codes. */
  async function insertUserCode(key: string, expiresAt: number): Promise<string> {
    for (let made = 0; made <= retries; made++) {
      const userCode = drawUserCode()
      const [pointer = ''] = keysOf(userCode)
      if (await records.insert({ key: pointer, owner: null, expiresAt, value: key })) return userCode
    }
    throw unusable()
  }
}

const retries = 5

/** An answer of an earlier release was not claimed before. */
function isDecided({ isClaimed, answer }: DeviceValue): boolean {
  return isClaimed === true || answer !== null
}

/** Whether a code has this secret and belongs to this client. */
function isOf({ secretHash, request }: DeviceValue, secret: Uint8Array<ArrayBuffer>, clientId: string): boolean {
  const digest = decodeBase64url(secretHash)
  return digest !== null && equalBytes(digest, sha256(secret)) && request.clientId === clientId
}

/** Returns the letters of a typed code without dashes and spaces, in upper case; `null`: the text is not a code. */
export function normalizeUserCode(userCode: string): string | null {
  const plain = readTypedCode(userCode).toUpperCase()
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(plain) ? plain : null
}

/** Draws each letter from a byte below 240, the largest multiple of 20, so that all letters are equally likely. */
function drawUserCode(): string {
  let code = ''
  while (code.length < 8) {
    const [byte = 255] = randomBytes(1)
    if (byte < 240) code += letters[byte % letters.length]
  }
  return code
}

function unusable(): StoreError {
  return new StoreError('STORE_UNAVAILABLE', 'the record kept changing while it was read')
}
