import {
  decodeBase64url,
  encodeBase64url,
  equalBytes,
  hmacSha256,
  randomToken,
  type SecretKey,
  type SecretKeys,
  sha256,
} from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { StoredAccount } from '../store/account-store.ts'

/** Recognizes devices that have signed in to an account before. Their tokens give no access. */
export interface KnownDevices {
  /**
   * Returns a token for an account whose password was just proven, and for the other accounts of the token that the device had.
   * @param presented the token that the device had.
   * @param former the account before its password changed: its part of the old token is void.
   */
  issue(
    account: Pick<StoredAccount, 'id' | 'epoch' | 'passwordHash'>,
    presented?: string | null,
    former?: Pick<StoredAccount, 'id' | 'epoch' | 'passwordHash'>,
  ): string
  /**
   * Returns the id of the device if its token is for the account, has not expired, and is not older than the password;
   * otherwise `null`. The id stays the same for this account, and differs for others.
   */
  recognize(
    token: string | null | undefined,
    account: Pick<StoredAccount, 'id' | 'epoch' | 'passwordHash'>,
  ): string | null
}

/** The part of an account that a token depends on. */
export type DeviceAccount = Parameters<KnownDevices['issue']>[0]

/** How many accounts a device is known for: the last that signed in. */
const accountsAtMost = 5
const nonceBytes = 16
const macBytes = 16
const idBytes = 12

/**
 * Creates the recognition of devices after they signed out, so that strangers who exhaust a limit do not lock out the
 * owner of an account.
 *
 * A token names no account: for each account it holds a nonce and two codes (HMAC-SHA-256 over account and nonce), one
 * with the epoch and one with the hash of the password. Either code is enough, so it stays valid after a rehash or a
 * change of roles; a new password changes both.
 *
 * @throws TypeError if an option is unknown or not valid.
 *
 * @example
 * import { createKnownDevices } from '@latchkey/accounts'
 * import { randomBytes } from '@latchkey/bytes'
 * const knownDevices = createKnownDevices({ secrets: [{ id: '2026-01', bytes: randomBytes(32) }] })
 * const token = knownDevices.issue({ id: 'acc_1', epoch: 0, passwordHash: null })
 * knownDevices.recognize(token, { id: 'acc_1', epoch: 0, passwordHash: null }) // 'dev_…'
 */
export function createKnownDevices(options: {
  /** The first makes tokens, each of them checks: derive them with `deriveSecrets`. */
  readonly secrets: SecretKeys
  /**
   * The time after its last sign-in in which a device is known.
   * @default 15_552_000 (180 days)
   */
  readonly ttlSeconds?: number
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}): KnownDevices {
  checkOptionNames('createKnownDevices', options, { secrets: true, ttlSeconds: true, now: true })
  const secrets = checkSecrets(options.secrets)
  const { ttlSeconds = 15_552_000, now = wallClock } = options
  if (!(Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= 34_560_000)) {
    throw new TypeError('"ttlSeconds" must be a whole number of seconds from 1 to 34560000')
  }
  const readAll = (token: string | null | undefined): readonly Entry[] =>
    readEntries(token, secrets).filter(({ expiresAt }) => expiresAt * 1000 > now())
  return {
    issue(account, presented = null, former = account) {
      const expiresAt = Math.floor(now() / 1000) + ttlSeconds
      const entries = readAll(presented)
      const known = entries.find((entry) => isOf(entry, former))
      const others = entries.filter((entry) => !isOf(entry, former))
      const entry = createEntry(secrets[0], { expiresAt, account, nonce: known?.nonce ?? randomToken(nonceBytes) })
      return [entry, ...others.map(({ text }) => text)].slice(0, accountsAtMost).join(separator)
    },
    recognize(token, account) {
      const known = readAll(token).find((entry) => isOf(entry, account))
      return known ? idOf(known) : null
    },
  }
}

/** The entry of one account in a token. */
interface Entry {
  readonly text: string
  readonly secret: SecretKey
  readonly nonce: string
  /** Epoch seconds. */
  readonly expiresAt: number
  readonly ofEpoch: Uint8Array
  readonly ofPassword: Uint8Array
}

// Both separators may stand in a cookie, and neither in base64url.
const separator = '~'
const format = /^([\w-]{1,32})\.([\w-]{22})\.([1-9]\d{0,11})\.([\w-]{22})\.([\w-]{22})$/
const entryCharacters = 32 + 22 + 12 + 22 + 22 + 4

function readEntries(token: string | null | undefined, secrets: SecretKeys): readonly Entry[] {
  if (typeof token !== 'string' || token.length > accountsAtMost * (entryCharacters + 1)) return []
  return token.split(separator).flatMap((text) => readEntry(text, secrets) ?? [])
}

function readEntry(text: string, secrets: SecretKeys): Entry | null {
  const [, id, nonce = '', expiresAt, ...macs] = format.exec(text) ?? []
  const secret = secrets.find((candidate) => candidate.id === id)
  const [ofEpoch, ofPassword] = macs.map(decodeBase64url)
  if (!secret || !ofEpoch || !ofPassword) return null
  return { text, secret, nonce, expiresAt: Number(expiresAt), ofEpoch, ofPassword }
}

function createEntry(
  secret: SecretKey,
  { expiresAt, account, nonce }: Pick<Entry, 'nonce' | 'expiresAt'> & { readonly account: DeviceAccount },
): string {
  const { ofEpoch, ofPassword } = macsOf(secret, account, { nonce, expiresAt })
  return [secret.id, nonce, expiresAt, encodeBase64url(ofEpoch), encodeBase64url(ofPassword)].join('.')
}

/** A part of the nonce's digest, because events must not hold any part of a token. */
function idOf({ nonce }: Entry): string {
  return `dev_${encodeBase64url(sha256(nonce).subarray(0, idBytes))}`
}

function isOf(entry: Entry, account: DeviceAccount): boolean {
  const { ofEpoch, ofPassword } = macsOf(entry.secret, account, entry)
  const isSameEpoch = equalBytes(entry.ofEpoch, ofEpoch)
  const isSamePassword = equalBytes(entry.ofPassword, ofPassword)
  return isSameEpoch || isSamePassword
}

function macsOf(
  { bytes }: SecretKey,
  { id, epoch, passwordHash }: DeviceAccount,
  { nonce, expiresAt }: Pick<Entry, 'nonce' | 'expiresAt'>,
): Pick<Entry, 'ofEpoch' | 'ofPassword'> {
  const mac = (what: string, value: unknown): Uint8Array =>
    hmacSha256(bytes, JSON.stringify([what, id, nonce, expiresAt, value])).subarray(0, macBytes)
  return { ofEpoch: mac('epoch', epoch), ofPassword: mac('password', passwordHash) }
}
