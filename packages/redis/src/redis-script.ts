/** A Lua script on one key, with the digest by which Redis identifies it. */
export interface RedisScript {
  readonly text: string
  /** SHA-1 of the text in hexadecimal digits. */
  digest(): Promise<string>
}

/**
 * The beginning of every script. Argument 1: the server's time after which it must do nothing, because its caller has
 * timed out. The shebang makes Redis refuse the script on a replica, which may not have a revocation yet.
 */
const prelude = `
local clock = redis.call('TIME')
local at = clock[1] * 1000 + math.floor(clock[2] / 1000)
local stamp = string.format('%.0f', at)
if at > tonumber(ARGV[1]) then return { 'late', stamp } end
`

/** Reads argument 2 as the time by which to judge. An empty text: the server's own. */
export const readNow: string = `local now = tonumber(ARGV[2]) or at`

/** Returns how many milliseconds Redis keeps what ends at an instant, and after that as long as given here. */
export function keepFor(endsAt: string, graceMs: number): string {
  return `string.format('%.0f', math.max(0, math.ceil(tonumber(${endsAt}) - now)) + ${graceMs})`
}

/**
 * Defines a script. It returns `{ 'done', stamp, … }` with texts, or `{ 'late', stamp }` when it has done nothing.
 *
 * @param options `grows`: it needs memory, so Redis refuses it when none is left; other scripts still run then.
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
