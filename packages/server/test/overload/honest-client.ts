// A client in a thread of the process of the service, so that both read the same clock: the processor time of the process.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'

/** So many honest requests, or as many as there is time for. */
export type Order = { readonly requests: number } | { readonly milliseconds: number }

/** What the process has computed until now, in all threads. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const pauseMs = 4

if (!isMainThread) {
  const client = connect({ host: '127.0.0.1', port: workerData, localAddress: '127.0.0.1' })
  client.setEncoding('utf8').setNoDelay()
  await once(client, 'connect')
  parentPort?.on('message', async (order: Order) => parentPort?.postMessage(await measure(client, order)))
}

/**
 * Sends honest requests with pauses, and returns what each took: from its sending to its resolver. A request waits for
 * what the service computes meanwhile; what other processes take from both does not count.
 */
async function measure(client: ReturnType<typeof connect>, order: Order): Promise<readonly number[]> {
  const spent: number[] = []
  const end = 'requests' in order ? Number.POSITIVE_INFINITY : performance.now() + order.milliseconds
  const most = 'requests' in order ? order.requests : Number.POSITIVE_INFINITY
  while (spent.length < most && performance.now() < end) {
    await setTimeout(pauseMs * (0.5 + Math.random()))
    spent.push(await ask(client))
  }
  return spent
}

function ask(client: ReturnType<typeof connect>): Promise<number> {
  const body = '{"query":"{ now }"}'
  const head = `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1:${workerData}\r\ncontent-type: application/json`
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let answer = ''
  const since = processorMs()
  client.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  const read = (text: string): void => {
    answer += text
    if (!answer.endsWith('}')) return
    client.off('data', read)
    const [, now] = /\{"data":\{"now":([\d.]+)\}\}$/.exec(answer) ?? []
    if (now === undefined) reject(new Error(`an honest request was answered: ${answer}`))
    else resolve(Number(now) - since)
  }
  client.on('data', read)
  return promise
}
