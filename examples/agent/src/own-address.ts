import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The agent's metadata document and its redirect address, served on this computer. */
export interface OwnAddress {
  /** The address of its metadata document, which is its `client_id`. */
  readonly clientId: string
  /** The document itself. */
  readonly document: {
    readonly client_id: string
    readonly client_name: string
    readonly redirect_uris: string[]
    readonly grant_types: string[]
    readonly token_endpoint_auth_method: string
  }
  /** Resolves with the parameters of the next answer. */
  nextAnswer(): Promise<URLSearchParams>
  close(): void
}

/** Serves the document that describes the agent, and waits for the answers of people at `/callback`. */
export async function serveOwnAddress(name: string): Promise<OwnAddress> {
  let answer: (parameters: URLSearchParams) => void = () => undefined
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/agent.json') return void response.setHeader('content-type', 'application/json').end(json)
    if (url.pathname !== '/callback') return void response.writeHead(404).end()
    answer(url.searchParams)
    response.end('The agent has the answer. You can close this page.')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const document = {
    client_id: `${origin}/agent.json`,
    client_name: name,
    redirect_uris: [`${origin}/callback`],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'none',
  }
  const json = JSON.stringify(document)
  return {
    clientId: document.client_id,
    document,
    nextAnswer: () => new Promise((resolve) => (answer = resolve)),
    close: () => void server.close(),
  }
}
