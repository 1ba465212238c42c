/** A Lua script on one key, with the digest by which Redis identifies it. */
export interface RedisScript {
  readonly text: string
  /** SHA-1 of the text in hexadecimal digits. */
  digest(): Promise<string>
}

/**
 * The start of every script. Argument 1: the server's time after which it must change no key, because its caller has
 * timed out. The shebang makes Redis refuse the script on a replica, which may not have a revocation yet.
 */
const prelude = `
local clock = redis.call('TIME')
local at = clock[1] * 1000 + math.floor(clock[2] / 1000)
local stamp = string.format('%.0f', at)
if at > tonumber(ARGV[1]) then return { 'late', stamp } end
`

/** Reads argument 2 as the current time. An empty text stands for the server's time. */
export const readNow: string = `local now = tonumber(ARGV[2]) or at`

/** Returns the milliseconds until an instant, plus a grace time: the expiry of a key in Redis. */
export function keepFor(endsAt: string, graceMs: number): string {
  return `string.format('%.0f', math.max(0, math.ceil(tonumber(${endsAt}) - now)) + ${graceMs})`
}

/**
 * Defines a script. It returns `{ 'done', stamp, … }` with texts, or `{ 'late', stamp }` if it was too late and changed
 * no key.
 *
 * @param options `grows`: the script needs memory, so Redis refuses it if its memory is full; other scripts still run
 * then.
 */
export function defineScript(body: string, { grows = false }: { readonly grows?: boolean } = {}): RedisScript {
  const text = `#!lua${grows ? '' : ' flags=allow-oom'}\n${prelude}${body}`
  let digest: Promise<string> | undefined
  return {
    text,
    digest() {
      digest ??= sha1(text)
      return digest
    },
  }
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
