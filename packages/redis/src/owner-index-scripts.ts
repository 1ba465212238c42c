import { defineScript, type RedisScript } from './redis-script.ts'

// The records of one owner: a sorted set of their keys, scored by an expiry that is never less than the record's own.

/**
 * Arguments: key, score, milliseconds to keep the set, now. Also removes up to 100 entries that are 60 s past by both
 * the caller's clock and the server's: a caller whose clock is ahead must not remove entries of living records.
 */
export const enterScript: RedisScript = defineScript(
  `
local limit = string.format('(%.0f', math.min(tonumber(ARGV[5]), at) - 60000)
local past = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', limit, 'LIMIT', 0, 100)
if #past > 0 then redis.call('ZREM', KEYS[1], unpack(past)) end
redis.call('ZADD', KEYS[1], 'GT', ARGV[3], ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return { 'done', stamp }
`,
  { grows: true },
)

/** Arguments: key, score, milliseconds to keep the set. Never creates. */
export const raiseScript: RedisScript = defineScript(`
redis.call('ZADD', KEYS[1], 'XX', 'GT', ARGV[3], ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return { 'done', stamp }
`)

/** Arguments: the keys of records that this caller has removed. */
export const leaveScript: RedisScript = defineScript(`
redis.call('ZREM', KEYS[1], unpack(ARGV, 2))
return { 'done', stamp }
`)

/**
 * Arguments: now, limit, and the score and key of the last known entry. Returns keys and scores alternately, in the
 * order of the set. Scores only increase, so an entry that moves in the meantime moves to a later page. Keys are
 * compared byte by byte, because < of Lua follows the locale of the server and the set does not.
 */
export const pageScript: RedisScript = defineScript(`
local function reaches(last, member)
  for i = 1, math.min(#last, #member) do
    local a, b = string.byte(last, i), string.byte(member, i)
    if a ~= b then return a > b end
  end
  return #last >= #member
end
local first = redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[2])
if ARGV[4] then
  local low = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[4])
  local high = redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[4])
  while low < high do
    local middle = math.floor((low + high) / 2)
    if reaches(ARGV[5], redis.call('ZRANGE', KEYS[1], middle, middle)[1]) then low = middle + 1 else high = middle end
  end
  first = math.max(first, low)
end
return { 'done', stamp, redis.call('ZRANGE', KEYS[1], first, first + ARGV[3] - 1, 'WITHSCORES') }
`)
