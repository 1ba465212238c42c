/** The used members of a socket of `node:net` or `node:tls`. */
export interface NetworkSocket {
  once(event: 'connect' | 'secureConnect' | 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  destroy(): unknown
}

/** The used members of an answer of `node:http`. */
export interface NetworkAnswer extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number | undefined
  readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>
}

interface NetworkRequest {
  once(event: 'response', listener: (answer: NetworkAnswer) => void): unknown
  once(event: 'close', listener: () => void): unknown
  on(event: 'information', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  end(): unknown
}

interface Resolver {
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
}

/** The used functions of Node.js. Other runtimes lack some or all of the functions. */
interface Builtins {
  readonly 'node:net': { connect(options: { readonly host: string; readonly port: number }): NetworkSocket }
  readonly 'node:tls': {
    connect(options: {
      readonly socket: NetworkSocket
      readonly servername: string
      readonly host: string
      readonly ALPNProtocols: readonly string[]
      readonly rejectUnauthorized: true
    }): NetworkSocket
  }
  readonly 'node:http': {
    request(options: {
      readonly createConnection: () => NetworkSocket
      readonly host: string
      readonly port: number
      readonly path: string
      readonly method: 'GET'
      readonly setHost: false
      readonly headers: Readonly<Record<string, string>>
      readonly maxHeaderSize: number
      readonly insecureHTTPParser: false
    }): NetworkRequest
  }
  readonly 'node:dns/promises': {
    readonly Resolver: new (options: { readonly timeout: number; readonly tries: number }) => Resolver
  }
}

declare const process:
  | { getBuiltinModule?<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined }
  | undefined

/** Returns a module of Node.js. @throws Error if the runtime lacks the module. */
export function networkModule<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const found = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.(name)
  if (!found) throw new Error(`this runtime has no ${name}`)
  return found
}
