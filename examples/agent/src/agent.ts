import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { type OwnAddress, serveOwnAddress } from './own-address.ts'

export interface AgentOptions {
  /** The address of the tools, for example `http://127.0.0.1:4000/mcp`. */
  readonly server: string
  /** Leads the user to a page: prints the address, or opens a browser. */
  readonly leadTo: (address: URL) => void | Promise<void>
  readonly print: (line: string) => void
}

/** Reads the newest articles and writes a draft, and requests only the scopes that each step needs. */
export async function runAgent({ server, leadTo, print }: AgentOptions): Promise<void> {
  const own = await serveOwnAddress('Example agent')
  try {
    let answer = own.nextAnswer()
    const authProvider = createProvider(own, async (address) => {
      answer = own.nextAnswer()
      print(`needs: ${address.searchParams.get('scope')}`)
      await leadTo(address)
    })
    let transport = new StreamableHTTPClientTransport(new URL(server), { authProvider })
    const client = new Client({ name: 'example-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    /** Tries again with the token that the user has allowed. */
    const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error
        await transport.finishAuth(await answer)
        return work()
      }
    }
    await attempt(async () => {
      await client.close()
      transport = new StreamableHTTPClientTransport(new URL(server), { authProvider })
      await client.connect(transport)
    })
    const { tools } = await client.listTools()
    print(`tools: ${tools.map(({ name }) => name).join(', ')}`)
    const call = (name: string, args: Record<string, unknown>) =>
      attempt(() => client.callTool({ name, arguments: args }))
    const read = await call('listArticles', { first: 3 })
    print(`read: ${JSON.stringify(read.structuredContent)}`)
    const written = await call('createDraft', { title: 'By an agent', body: 'What the three newest articles say.' })
    print(`wrote: ${JSON.stringify(written.structuredContent)}`)
    await client.close()
  } finally {
    own.close()
  }
}

/** Keeps tokens in memory: an agent that runs again signs in again. */
function createProvider(own: OwnAddress, redirect: (address: URL) => Promise<void>): OAuthClientProvider {
  const kept: { tokens?: StoredOAuthTokens; verifier?: string; discovery?: OAuthDiscoveryState } = {}
  return {
    redirectUrl: own.document.redirect_uris[0],
    clientMetadata: own.document,
    // An agent on the web gives its address as `clientMetadataUrl`, which must be https.
    clientInformation: () => ({ client_id: own.clientId }),
    state: () => crypto.randomUUID(),
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens
    },
    redirectToAuthorization: redirect,
    saveCodeVerifier(verifier) {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState(discovery) {
      kept.discovery = discovery
    },
    discoveryState: () => kept.discovery,
  }
}
