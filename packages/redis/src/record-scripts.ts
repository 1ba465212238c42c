import { defineScript, keepFor, type RedisScript, readNow } from './redis-script.ts'

// A record is a hash: o owner (absent: none), v version, e expiry, d data. The server's own clock decides what has
// expired, unless the stores have another one; the expiry of Redis only frees the memory of records that expired before.

/** How long Redis keeps an expired record: for stores on another clock than the server's. */
const graceMs = 60_000

/** Arguments: now, expiry, value, and the owner if any. */
export const insertScript: RedisScript = defineScript(
  `
${readNow}
local expires = redis.call('HGET', KEYS[1], 'e')
if expires and tonumber(expires) > now then return { 'done', stamp, '0' } end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'v', '1', 'e', ARGV[3], 'd', ARGV[4])
if ARGV[5] then redis.call('HSET', KEYS[1], 'o', ARGV[5]) end
redis.call('PEXPIRE', KEYS[1], ${keepFor('ARGV[3]', graceMs)})
return { 'done', stamp, '1' }
`,
  { grows: true },
)

/** Arguments: now. */
export const getScript: RedisScript = defineScript(`
${readNow}
local found = redis.call('HMGET', KEYS[1], 'o', 'v', 'e', 'd')
if not found[3] or tonumber(found[3]) <= now then return { 'done', stamp } end
return { 'done', stamp, found[1], found[2], found[3], found[4] }
`)

/** Arguments: now, version, expiry, value. */
export const replaceScript: RedisScript = defineScript(
  `
${readNow}
local found = redis.call('HMGET', KEYS[1], 'v', 'e')
if not found[2] or tonumber(found[2]) <= now or found[1] ~= ARGV[3] then return { 'done', stamp, '0' } end
redis.call('HSET', KEYS[1], 'v', string.format('%.0f', found[1] + 1), 'e', ARGV[4], 'd', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ${keepFor('ARGV[4]', graceMs)})
return { 'done', stamp, '1' }
`,
  { grows: true },
)

/** Arguments: now, expiry. */
export const touchScript: RedisScript = defineScript(`
${readNow}
local expires = redis.call('HGET', KEYS[1], 'e')
if not expires or tonumber(expires) <= now then return { 'done', stamp, '0' } end
redis.call('HSET', KEYS[1], 'e', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ${keepFor('ARGV[3]', graceMs)})
return { 'done', stamp, '1' }
`)

/**
 * Arguments: the required owner, if any. Returns 1 and the previous owner. It ignores the expiry: an acknowledged
 * removal holds on every process, with any clock.
 */
export const removeScript: RedisScript = defineScript(`
local found = redis.call('HMGET', KEYS[1], 'o', 'e')
if not found[2] then return { 'done', stamp, '0' } end
if ARGV[2] and found[1] ~= ARGV[2] then return { 'done', stamp, '0' } end
redis.call('DEL', KEYS[1])
return { 'done', stamp, '1', found[1] }
`)
