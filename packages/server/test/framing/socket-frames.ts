/** The kinds of WebSocket frames (RFC 6455 §5.2). */
export const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const

const fin = 0x80
const masked = 0x80

/** Returns a frame of a client, for a payload of less than 126 bytes. It is masked with zeros, so that its payload is legible. */
export function frameOf(kind: keyof typeof opcodes, text = '', isLast = true): Buffer {
  const head = [(isLast ? fin : 0) | opcodes[kind], masked | text.length, 0, 0, 0, 0]
  return Buffer.concat([Buffer.from(head), Buffer.from(text, 'latin1')])
}

export function handshakeOf(host: string): string {
  const lines = [
    'GET /graphql HTTP/1.1',
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol: graphql-transport-ws',
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Returns a reader of what a service sends over a WebSocket, which notes the codes of its close frames. */
export function createCloseReader(note: (code: number) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
    for (;;) {
      const frame = firstFrame(rest)
      if (!frame) return
      if (frame.opcode === opcodes.close) note(frame.payload.length < 2 ? 1005 : frame.payload.readUInt16BE())
      rest = rest.subarray(frame.length)
    }
  }
}

interface Frame {
  readonly opcode: number
  readonly payload: Buffer
  readonly length: number
}

function firstFrame(bytes: Buffer): Frame | null {
  if (bytes.length < 4 && bytes.length < 2 + ((bytes[1] ?? 127) & 127)) return null
  const short = bytes.readUInt8(1) & 127
  // A service sends nothing here that is longer than 64 kB.
  const head = short === 126 ? 4 : 2
  const length = head + (short === 126 ? bytes.readUInt16BE(2) : short)
  if (bytes.length < length) return null
  return { opcode: bytes.readUInt8(0) & 15, payload: bytes.subarray(head, length), length }
}
