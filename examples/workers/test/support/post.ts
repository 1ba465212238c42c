import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** No connection is used twice: one that the other side is about to close would fail a request that never arrived. */
const agent = new Agent({ keepAlive: false, maxSockets: 16 })

/** Returns the answer to a POST over loopback. */
export function post(url: URL, body: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent }, (message) => {
      text(message).then((answer) => resolve(new Response(answer, { status: message.statusCode ?? 500 })), reject)
    })
    sent.on('error', reject).end(body)
  })
}
