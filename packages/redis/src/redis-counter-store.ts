import type { CounterStore } from '@latchkey/store'
import { defineScript } from './redis-script.ts'
import type { ScriptRunner } from './script-runner.ts'

/**
 * A counter is a hash: n hits, e end of the window, l the ids of the last few hits. A client that lost its connection
 * may send a hit again by itself: a known id adds nothing. Arguments: now, end of a new window, milliseconds to keep
 * it, by, id.
 */
const hitScript = defineScript(
  `
local found = redis.call('HMGET', KEYS[1], 'n', 'e', 'l')
local by = tonumber(ARGV[5])
if not found[2] or tonumber(found[2]) <= tonumber(ARGV[2]) then
  if by <= 0 then return { 'done', stamp, '0', ARGV[2] } end
  redis.call('HSET', KEYS[1], 'n', ARGV[5], 'e', ARGV[3], 'l', ARGV[6])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return { 'done', stamp, ARGV[5], ARGV[3] }
end
if by == 0 or string.find(found[3], ARGV[6], 1, true) then return { 'done', stamp, found[1], found[2] } end
local count = string.format('%.0f', math.max(0, found[1] + by))
redis.call('HSET', KEYS[1], 'n', count, 'l', string.sub(ARGV[6] .. found[3], 1, 18 * #ARGV[6]))
return { 'done', stamp, count, found[2] }
`,
  { grows: true },
)

const resetScript = defineScript(`
redis.call('DEL', KEYS[1])
return { 'done', stamp }
`)

/** How long Redis keeps a counter after its window. */
const graceMs = 60_000

export function createRedisCounterStore({
  runner,
  now,
  prefix,
}: {
  readonly runner: ScriptRunner
  readonly now: () => number
  readonly prefix: string
}): CounterStore {
  const redisKeyOf = (key: string) => `${prefix}counter:${key}`
  const nextHitId = createHitIds()
  return {
    async hit(key, windowMs, by = 1) {
      const time = now()
      const keptMs = Math.max(0, Math.ceil(windowMs)) + graceMs
      const args = [time, time + windowMs, keptMs, by, nextHitId()]
      const [count, resetAt] = await runner.begin().run(hitScript, redisKeyOf(key), args)
      return { count: Number(count), resetAt: Number(resetAt) }
    },
    async reset(key) {
      await runner.begin().run(resetScript, redisKeyOf(key), [])
    },
  }
}

/** Creates a function that returns an id of fixed length, unique over all processes. */
function createHitIds(): () => string {
  const start = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0'))
  let count = 0
  return () => {
    count = (count + 1) % 2 ** 32
    return `${start.join('')}${count.toString(16).padStart(8, '0')} `
  }
}
