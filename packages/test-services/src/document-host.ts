import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The site of an unregistered client, on a socket of this machine. */
export interface DocumentHost {
  readonly host: string
  readonly clientId: string
  /** How often the document was fetched. */
  fetches(): number
  /** Answers by other members from now on. */
  change(members: Readonly<Record<string, unknown>>): void
  /** Answers otherwise from now on. */
  answer(given: { readonly status?: number; readonly type?: string; readonly body?: string }): void
  close(): Promise<void>
}

export const pocketCallback = 'https://pocket.example.com/callback'
const pocketLoopback = 'http://127.0.0.1/callback'

export async function openDocumentHost(
  members: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<DocumentHost> {
  let fetches = 0
  let changed = members
  let given: { status?: number; type?: string; body?: string } = {}
  const http: Server = createServer((_request, response) => {
    fetches++
    const { status = 200, type = 'application/json', body = JSON.stringify(documentOf(clientId, changed)) } = given
    response.writeHead(status, { 'content-type': type, ...headers }).end(body)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`
  const clientId = `http://${host}/client.json`
  return {
    host,
    clientId,
    fetches: () => fetches,
    change(next) {
      changed = { ...changed, ...next }
    },
    answer(next) {
      given = next
    },
    async close() {
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }
}

function documentOf(clientId: string, members: Readonly<Record<string, unknown>>): object {
  return {
    client_id: clientId,
    client_name: 'Satchel',
    redirect_uris: [pocketCallback, pocketLoopback],
    grant_types: ['authorization_code', 'refresh_token'],
    ...members,
  }
}
