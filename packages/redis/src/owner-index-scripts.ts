import { defineScript, keepFor, type RedisScript, readNow } from './redis-script.ts'

// The records of one owner: a sorted set of their keys, scored by an expiry that is never less than the record's own.

/** How long Redis keeps the set after the last of its entries has expired: longer than any record of it is stored. */
const graceMs = 120_000

/**
 * Arguments: now, key, score. Also removes up to 100 entries that are 60 s past by both the stores' clock and the
 * server's.
 */
export const enterScript: RedisScript = defineScript(
  `
${readNow}
local limit = string.format('(%.0f', math.min(now, at) - 60000)
local past = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', limit, 'LIMIT', 0, 100)
if #past > 0 then redis.call('ZREM', KEYS[1], unpack(past)) end
redis.call('ZADD', KEYS[1], 'GT', ARGV[4], ARGV[3])
local kept = ${keepFor('ARGV[4]', graceMs)}
if redis.call('PTTL', KEYS[1]) < tonumber(kept) then redis.call('PEXPIRE', KEYS[1], kept) end
return { 'done', stamp }
`,
  { grows: true },
)

/** Arguments: now, key, score. Never creates. */
export const raiseScript: RedisScript = defineScript(`
${readNow}
redis.call('ZADD', KEYS[1], 'XX', 'GT', ARGV[4], ARGV[3])
local kept = ${keepFor('ARGV[4]', graceMs)}
if redis.call('PTTL', KEYS[1]) < tonumber(kept) then redis.call('PEXPIRE', KEYS[1], kept) end
return { 'done', stamp }
`)

/** Arguments: the keys of records that this caller has removed. */
export const leaveScript: RedisScript = defineScript(`
redis.call('ZREM', KEYS[1], unpack(ARGV, 2))
return { 'done', stamp }
`)

/**
 * Arguments: now, limit, whether expired entries are wanted too, and the score and key of the last known entry. Returns
 * keys and scores alternately, in the order of the set. Scores only increase, so an entry that moves in the meantime moves to a later page. Keys are
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
${readNow}
local first = ARGV[4] == 'all' and 0 or redis.call('ZCOUNT', KEYS[1], '-inf', string.format('%.0f', now))
if ARGV[5] then
  local low = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[5])
  local high = redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[5])
  while low < high do
    local middle = math.floor((low + high) / 2)
    if reaches(ARGV[6], redis.call('ZRANGE', KEYS[1], middle, middle)[1]) then low = middle + 1 else high = middle end
  end
  first = math.max(first, low)
end
return { 'done', stamp, redis.call('ZRANGE', KEYS[1], first, first + ARGV[3] - 1, 'WITHSCORES') }
`)
