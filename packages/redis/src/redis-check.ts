import { StoreError } from '@latchkey/store'
import { defineScript } from './redis-script.ts'
import type { ScriptRunner } from './script-runner.ts'

/**
 * It writes a key, as sign-ins do. For a Redis user without permission for INFO the memory and the replicas are not
 * checked.
 */
const probeScript = defineScript(
  `
redis.call('HSET', KEYS[1], 'at', stamp)
redis.call('PEXPIRE', KEYS[1], 60000)
local memory, replication = redis.pcall('INFO', 'memory'), redis.pcall('INFO', 'replication')
local function text(reply) return type(reply) == 'string' and reply or '' end
return { 'done', stamp, text(memory) .. text(replication) }
`,
  { grows: true },
)

/**
 * Resolves when Redis takes a change, as many replicas as required have it, and Redis is configured as the stores need it.
 *
 * @throws StoreError `STORE_UNAVAILABLE` otherwise.
 */
export async function checkRedis(runner: ScriptRunner, prefix: string, waitReplicas: number | null): Promise<void> {
  const operation = runner.begin()
  const [info] = await operation.run(probeScript, `${prefix}check`, [])
  const fault = findFault(String(info), waitReplicas)
  if (fault) throw new StoreError('STORE_UNAVAILABLE', fault)
  await operation.replicate()
}

function findFault(info: string, waitReplicas: number | null): string | null {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const [policy, replicas] = [field('maxmemory_policy'), field('connected_slaves')]
  if (field('maxmemory') !== '0' && policy !== undefined && policy !== 'noeviction') {
    return `Redis may drop any record to make room (maxmemory-policy is ${policy}): set it to noeviction`
  }
  if (waitReplicas === null) return null
  // A server that does not say how many it has is not found at fault: no comparison with NaN holds.
  if (waitReplicas === 0 && Number(replicas) > 0) return 'Redis has replicas: "waitReplicas" must not be 0'
  return Number(replicas) < waitReplicas ? `Redis has ${replicas} of ${waitReplicas} replicas` : null
}
