import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '@latchkey/http/node'
import type { AuthorizationServerOptions } from '@latchkey/oauth/server'
import { createProvider, type Provider } from './provider.ts'

export interface ListeningProvider extends Provider {
  readonly issuer: URL
  /** Signs the browser in by a new session: one that a client has ended is of no use any more. */
  signIn(): void
  /** Follows an address as a browser that is signed in would, until it leaves the server. */
  visit(address: URL): Promise<URL>
  close(): Promise<void>
}

/** A server on a socket of this machine, by the clock of this machine. */
export async function listenAsProvider(
  options: (issuer: string) => Partial<AuthorizationServerOptions>,
): Promise<ListeningProvider> {
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const resources = [`${issuer}/graphql`] as const
  const provider = await createProvider({ now: Date.now, issuer, resources, ...options(issuer) })
  http.on('request', toNodeListener(provider.server))
  const browser = provider.openBrowser()
  browser.signIn()
  return {
    ...provider,
    issuer: new URL(issuer),
    signIn: () => void browser.signIn(),
    async visit(address) {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(address, { redirect: 'manual', headers: { cookie } })
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${response.status} at ${address}: ${await response.text()}`)
      return new URL(location, issuer)
    },
    async close() {
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }
}
