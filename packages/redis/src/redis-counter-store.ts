import { randomBytes } from '@latchkey/bytes'
import type { CounterStore } from '@latchkey/store'
import { defineScript, keepFor, readNow } from './redis-script.ts'
import type { ScriptRunner } from './script-runner.ts'

/** How long Redis keeps a counter after its window. */
const graceMs = 60_000

/** The end of a window of `Infinity`, which Redis keeps until `reset`. */
const never = Number.MAX_SAFE_INTEGER

/**
 * A counter is a hash: n hits, e end of the window, l the ids of the last few hits. A client that lost its connection
 * may send a hit again: a known id does not count. Arguments: now, length of a new window, by, id.
 */
const hitScript = defineScript(
  `
${readNow}
local found = redis.call('HMGET', KEYS[1], 'n', 'e', 'l')
local by = tonumber(ARGV[4])
if not found[2] or tonumber(found[2]) <= now then
  if by <= 0 then return { 'done', stamp, '0', string.format('%.0f', now) } end
  local ends = string.format('%.0f', math.min(now + ARGV[3], ${never}))
  redis.call('HSET', KEYS[1], 'n', ARGV[4], 'e', ends, 'l', ARGV[5])
  if tonumber(ends) == ${never} then redis.call('PERSIST', KEYS[1])
  else redis.call('PEXPIRE', KEYS[1], ${keepFor('ends', graceMs)}) end
  return { 'done', stamp, ARGV[4], ends }
end
if by == 0 or string.find(found[3], ARGV[5], 1, true) then return { 'done', stamp, found[1], found[2] } end
local count = string.format('%.0f', math.max(0, found[1] + by))
redis.call('HSET', KEYS[1], 'n', count, 'l', string.sub(ARGV[5] .. found[3], 1, 18 * #ARGV[5]))
return { 'done', stamp, count, found[2] }
`,
  { grows: true },
)

const resetScript = defineScript(`
redis.call('DEL', KEYS[1])
return { 'done', stamp }
`)

export function createRedisCounterStore({
  runner,
  now,
  prefix,
  consistency,
}: {
  readonly runner: ScriptRunner
  /** The clock of the stores; `null` for the clock of the server. */
  readonly now: (() => number) | null
  readonly prefix: string
  readonly consistency: CounterStore['capabilities']['consistency']
}): CounterStore {
  const time = now ?? (() => '' as const)
  const redisKeyOf = (key: string) => `${prefix}counter:${key}`
  const nextHitId = createHitIds()
  return {
    // A flush, an eviction or a failover loses counters.
    capabilities: { contract: 1, consistency, durable: false },
    async hit(key, windowMs, by = 1) {
      const args = [time(), Math.min(windowMs, never), by, nextHitId()]
      const operation = runner.begin()
      const [count, resetAt] = await operation.run(hitScript, redisKeyOf(key), args)
      if (by !== 0) await operation.replicate()
      return { count: Number(count), resetAt: Number(resetAt) }
    },
    async reset(key) {
      await runner.begin().run(resetScript, redisKeyOf(key), [])
    },
  }
}

/** Creates a function that returns an id of fixed length, unique over all processes. */
function createHitIds(): () => string {
  let start = ''
  let count = 0
  return () => {
    // Not before the first hit: nothing random may be drawn while a module is loaded in a Worker.
    if (start === '') start = Array.from(randomBytes(6), (byte) => byte.toString(16).padStart(2, '0')).join('')
    count = (count + 1) % 2 ** 32
    return `${start}${count.toString(16).padStart(8, '0')} `
  }
}
