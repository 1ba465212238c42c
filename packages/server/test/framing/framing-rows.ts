import { frameOf } from './socket-frames.ts'

/** What an attacker sends over each of its connections. */
export interface FramingRow {
  readonly what: string
  readonly over: 'HTTP' | 'WebSocket'
  /** @default 8 */
  readonly connections?: number
  /** Returns what is sent first, after the handshake of a WebSocket. */
  readonly opening?: (host: string) => string | Buffer
  /** Returns what is sent again and again. */
  readonly repeated: (host: string) => string | Buffer
  /** How often; the connection is held after that. @default without end */
  readonly times?: number
  /**
   * For so long.
   * @default 2000
   */
  readonly milliseconds?: number
}

const headOf = (host: string, request: string, ...headers: readonly string[]): string =>
  `${[`${request} HTTP/1.1`, `Host: ${host}`, ...headers].join('\r\n')}\r\n\r\n`

const pipelined = (what: string, request: string, ...headers: readonly string[]): FramingRow => ({
  what,
  over: 'HTTP',
  repeated: (host) => headOf(host, request, ...headers),
})

const json = 'Content-Type: application/json'
const chunked = 'Transfer-Encoding: chunked'
const hello = '{"query":"{hello}"}'

const post = (host: string): string => headOf(host, 'POST /graphql', json, `Content-Length: ${hello.length}`) + hello

const lines = (count: number, write: (index: number) => string): string[] =>
  Array.from({ length: count }, (_none, index) => write(index))

const trailers = (host: string): string =>
  `${headOf(host, 'POST /graphql', json, chunked)}13\r\n${hello}\r\n0\r\n${lines(1_000, (n) => `t${n}: 1\r\n`).join('')}\r\n`

const oneByteChunks = {
  over: 'HTTP',
  opening: (host: string) => headOf(host, 'POST /graphql', json, chunked),
  repeated: () => '1\r\n \r\n',
} as const

/** A body of this length is read to its end: it is held there. */
const withinLimit = 99_990

const message = (value: object): Buffer => frameOf('text', JSON.stringify(value))
const init = (): Buffer => message({ type: 'connection_init' })

const messages = (what: string, text: string | object, opening?: () => Buffer): FramingRow => ({
  what,
  over: 'WebSocket',
  ...(opening && { opening }),
  repeated: () => (typeof text === 'string' ? frameOf('text', text) : message(text)),
})

/** A message in as many pieces as are allowed, all but the last one without a byte. */
const fragments = (): Buffer =>
  Buffer.concat([
    frameOf('text', '', false),
    ...lines(61, () => '').map(() => frameOf('continuation', '', false)),
    frameOf('continuation', '{"type":"pong"}'),
  ])

const whole = `{"query":"{hello}","variables":{"x":"${'x'.repeat(90_000)}"}}`

/** What nothing counts: no request is more than it may be, and no message. */
export const framingRows: readonly FramingRow[] = [
  { ...oneByteChunks, what: 'one-byte chunks 40', connections: 40, times: withinLimit, milliseconds: 6_000 },
  { ...oneByteChunks, what: 'one-byte chunks 10', connections: 10, times: withinLimit },
  { ...oneByteChunks, what: 'one-byte chunks without end' },
  pipelined('pipelined GETs', 'GET /graphql?query={hello}'),
  pipelined('pipelined HEADs', 'HEAD /graphql?query={hello}'),
  pipelined('pipelined OPTIONS', 'OPTIONS /graphql'),
  pipelined('pipelined healthz', 'GET /healthz'),
  { what: 'pipelined POSTs', over: 'HTTP', repeated: post },
  pipelined('pipelined 900 headers', 'GET /healthz', ...lines(900, (n) => `h${n}: 1`)),
  { what: 'pipelined trailers', over: 'HTTP', repeated: trailers },
  pipelined('pipelined bad Expect', 'GET /healthz', 'Expect: nonsense'),
  { what: 'WebSocket PONGs', over: 'WebSocket', repeated: () => frameOf('pong') },
  { what: 'WebSocket PINGs', over: 'WebSocket', repeated: () => frameOf('ping') },
  { what: 'WebSocket empty fragments', over: 'WebSocket', opening: init, repeated: fragments },
  messages('graphql pings', { type: 'ping' }, init),
  messages('graphql pongs', { type: 'pong' }, init),
  messages('graphql pings before init', { type: 'ping' }),
  messages('graphql completes', { id: 'a', type: 'complete' }, init),
  messages('tiny messages', 'x', init),
  messages('tiny messages before init', 'x'),
  {
    what: 'control: bodies of 90 kB',
    over: 'HTTP',
    repeated: (host) => headOf(host, 'POST /graphql', json, `Content-Length: ${whole.length}`) + whole,
  },
]
