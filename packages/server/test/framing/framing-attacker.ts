// Sends a row over its connections at once and without pause, reads what comes back, opens each connection that the service closes
// again, and tells at the end what it has sent and what has come back.
import { connect, type Socket } from 'node:net'
import { type FramingRow, framingRows } from './framing-rows.ts'
import { createCloseReader, handshakeOf } from './socket-frames.ts'

/** What the parent process says. */
export interface FramingAttack {
  readonly port: number
  readonly localAddress: string
  readonly what: string
  readonly milliseconds: number
}

/** What it is told in the end. */
export interface FramingLoot {
  readonly bytes: number
  readonly connections: number
  /** How often which status, close code or end of a connection has come back. */
  readonly back: Readonly<Record<string, number>>
}

interface Attacker extends FramingAttack {
  readonly row: FramingRow
  readonly opening: string | Buffer
  readonly block: Buffer
  /** A connection sends so many bytes of them. */
  readonly repeatedBytes: number
  readonly sockets: Set<Socket>
  readonly back: Record<string, number>
  bytes: number
  connections: number
  isOver: boolean
}

process.on('message', (attack: FramingAttack) => {
  const attacker = createAttacker(attack)
  for (let one = 0; one < (attacker.row.connections ?? 8); one++) open(attacker)
  setTimeout(() => end(attacker), attack.milliseconds)
})
process.on('disconnect', () => process.exit())

const host = '127.0.0.1'
const blockBytes = 65_536
const bytesAtMost = 256_000_000

function createAttacker(attack: FramingAttack): Attacker {
  const row = framingRows.find(({ what }) => what === attack.what)
  if (!row) throw new Error(`there is no row ${attack.what}`)
  const { opening, repeated, times = Number.POSITIVE_INFINITY } = row
  const name = `${host}:${attack.port}`
  const unit = Buffer.from(repeated(name))
  return {
    ...attack,
    row,
    opening: opening?.(name) ?? '',
    block: Buffer.concat(Array<Buffer>(Math.max(1, Math.round(blockBytes / unit.length))).fill(unit)),
    repeatedBytes: unit.length * times,
    sockets: new Set(),
    back: {},
    bytes: 0,
    connections: 0,
    isOver: false,
  }
}

function note({ back }: Attacker, what: string): void {
  back[what] = (back[what] ?? 0) + 1
}

function open(attacker: Attacker): void {
  if (attacker.isOver) return
  const { port, localAddress, sockets, row } = attacker
  const socket = connect({ host, port, localAddress })
  sockets.add(socket)
  attacker.connections++
  let hasFailed = false
  socket.on('connect', () => {
    if (row.over === 'WebSocket') socket.write(handshakeOf(`${host}:${port}`))
    else begin(attacker, socket)
  })
  if (row.over === 'WebSocket') readSocket(attacker, socket)
  else socket.on('data', (bytes) => noteStatuses(attacker, bytes))
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    hasFailed = true
    if (!attacker.isOver) note(attacker, code ?? 'error')
  })
  socket.on('close', () => {
    sockets.delete(socket)
    attacker.bytes += sentBy(socket)
    if (attacker.isOver) return
    if (!hasFailed) note(attacker, 'closed')
    // A service that has died refuses connections: trying must not be all that this machine does.
    setTimeout(() => open(attacker), hasFailed ? 5 : 0)
  })
}

function begin(attacker: Attacker, socket: Socket): void {
  const { opening, block, repeatedBytes } = attacker
  if (opening.length > 0) socket.write(opening)
  let sent = 0
  const send = (): void => {
    if (socket.destroyed || sent >= repeatedBytes || sentOver(attacker) > bytesAtMost) return
    const piece = block.subarray(0, repeatedBytes - sent)
    sent += piece.length
    socket.write(piece, (error) => {
      if (!error) setImmediate(send)
    })
  }
  send()
}

/** What all connections have sent. */
function sentOver({ bytes, sockets }: Attacker): number {
  return [...sockets].reduce((sum, socket) => sum + sentBy(socket), bytes)
}

function sentBy({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength
}

const status = Buffer.from('HTTP/1.1 ')

function noteStatuses(attacker: Attacker, bytes: Buffer): void {
  for (let at = bytes.indexOf(status); at >= 0; at = bytes.indexOf(status, at + 12)) {
    note(attacker, bytes.toString('latin1', at + 9, at + 12))
  }
}

/** Until the handshake has its answer nothing follows it. */
function readSocket(attacker: Attacker, socket: Socket): void {
  const read = createCloseReader((code) => note(attacker, `${code}`))
  let head: Buffer | null = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    if (!head) return read(bytes)
    head = Buffer.concat([head, bytes])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    noteStatuses(attacker, head.subarray(0, end))
    read(head.subarray(end + 4))
    head = null
    begin(attacker, socket)
  })
}

function end(attacker: Attacker): void {
  const { connections, back, sockets } = attacker
  const bytes = sentOver(attacker)
  attacker.isOver = true
  for (const socket of sockets) socket.destroy()
  process.send?.({ bytes, connections, back } satisfies FramingLoot)
}
