import { defineScript, type RedisScript } from './redis-script.ts'

// A record is a hash: o owner (absent: none), v version, e expiry, d data. Times are the caller's, so that one clock
// decides; the expiry of Redis only frees the memory of records that expired long before.

/** Arguments: now, expiry, milliseconds to keep it, value, and the owner if any. */
export const insertScript: RedisScript = defineScript(
  `
local expires = redis.call('HGET', KEYS[1], 'e')
if expires and tonumber(expires) > tonumber(ARGV[2]) then return { 'done', stamp, '0' } end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'v', '1', 'e', ARGV[3], 'd', ARGV[5])
if ARGV[6] then redis.call('HSET', KEYS[1], 'o', ARGV[6]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { 'done', stamp, '1' }
`,
  { grows: true },
)

export const getScript: RedisScript = defineScript(`
local found = redis.call('HMGET', KEYS[1], 'o', 'v', 'e', 'd')
return { 'done', stamp, found[1], found[2], found[3], found[4] }
`)

/** Arguments: now, version, expiry, milliseconds to keep it, value. */
export const replaceScript: RedisScript = defineScript(
  `
local found = redis.call('HMGET', KEYS[1], 'v', 'e')
if not found[2] or tonumber(found[2]) <= tonumber(ARGV[2]) or found[1] ~= ARGV[3] then return { 'done', stamp, '0' } end
redis.call('HSET', KEYS[1], 'v', string.format('%.0f', found[1] + 1), 'e', ARGV[4], 'd', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return { 'done', stamp, '1' }
`,
  { grows: true },
)

/** Arguments: now, expiry, milliseconds to keep it. */
export const touchScript: RedisScript = defineScript(`
local expires = redis.call('HGET', KEYS[1], 'e')
if not expires or tonumber(expires) <= tonumber(ARGV[2]) then return { 'done', stamp, '0' } end
redis.call('HSET', KEYS[1], 'e', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { 'done', stamp, '1' }
`)

/** Arguments: now, and the owner that it must have, if any. Returns 1 and the owner that it had. */
export const removeScript: RedisScript = defineScript(`
local found = redis.call('HMGET', KEYS[1], 'o', 'e')
if not found[2] or tonumber(found[2]) <= tonumber(ARGV[2]) then return { 'done', stamp, '0' } end
if ARGV[3] and found[1] ~= ARGV[3] then return { 'done', stamp, '0' } end
redis.call('DEL', KEYS[1])
return { 'done', stamp, '1', found[1] }
`)
