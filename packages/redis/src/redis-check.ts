import { StoreError } from '@latchkey/store'
import { defineScript } from './redis-script.ts'
import type { ScriptRunner } from './script-runner.ts'

/** A Redis user without permission for INFO is no outage: then there is nothing to check. */
const infoScript = defineScript(`
local memory, replication = redis.pcall('INFO', 'memory'), redis.pcall('INFO', 'replication')
local function text(reply) return type(reply) == 'string' and reply or '' end
return { 'done', stamp, text(memory) .. text(replication) }
`)

/**
 * Resolves when Redis answers, is a primary, and matches the options.
 *
 * @throws StoreError `STORE_UNAVAILABLE` otherwise.
 */
export async function checkRedis(runner: ScriptRunner, prefix: string, waitReplicas: number | null): Promise<void> {
  const [info] = await runner.begin().run(infoScript, `${prefix}check`, [])
  const fault = findFault(String(info), waitReplicas)
  if (fault) throw new StoreError('STORE_UNAVAILABLE', fault)
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
