import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { vi } from 'vitest'

export interface NameServer {
  /** The questions that arrived: type and name. */
  readonly questions: readonly string[]
  close(): Promise<void>
}

type RecordType = 'A' | 'AAAA' | 'CNAME'
type Answers = Readonly<Record<string, readonly (readonly [type: RecordType, value: string])[]>>

const typeNumbers: Readonly<Record<RecordType, number>> = { A: 1, CNAME: 5, AAAA: 28 }

/** Opens a name server on this machine, and makes resolvers ask it. `null`: it answers no question. */
export async function openNameServer(answers: Answers | null): Promise<NameServer> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { name, type, end } = readQuestion(message)
    questions.push(`${type} ${name}`)
    if (answers)
      socket.send(answerOf(message.subarray(0, end), answers[name]?.filter(isAsked(type))), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  class LocalResolver extends Resolver {
    constructor(options?: ConstructorParameters<typeof Resolver>[0]) {
      super(options)
      this.setServers([`127.0.0.1:${port}`])
    }
  }
  const builtin = process.getBuiltinModule
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
    name === 'node:dns/promises' ? { Resolver: LocalResolver } : builtin(name)) as typeof builtin)
  return {
    questions,
    async close() {
      vi.restoreAllMocks()
      socket.close()
      await once(socket, 'close')
    },
  }
}

const isAsked =
  (asked: string) =>
  ([type]: readonly [type: RecordType, value: string]): boolean =>
    type === asked || type === 'CNAME'

function readQuestion(message: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const number = message.readUInt16BE(at + 1)
  const [type = 'other'] = Object.entries(typeNumbers).find(([, value]) => value === number) ?? []
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 }
}

/** RFC 1035 §4.1. Without records the name is not there. */
function answerOf(question: Buffer, records: readonly (readonly [type: RecordType, value: string])[] = []): Buffer {
  const header = Buffer.from(question)
  header.writeUInt16BE(records.length > 0 ? 0x8180 : 0x8183, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt16BE(0, 8)
  header.writeUInt16BE(0, 10)
  let owner: Buffer = Buffer.from([0xc0, 12])
  const parts = records.map(([type, value]) => {
    const data = dataOf(type, value)
    const head = Buffer.alloc(10)
    head.writeUInt16BE(typeNumbers[type], 0)
    head.writeUInt16BE(1, 2)
    head.writeUInt32BE(60, 4)
    head.writeUInt16BE(data.length, 8)
    const record = Buffer.concat([owner, head, data])
    if (type === 'CNAME') owner = data
    return record
  })
  return Buffer.concat([header, ...parts])
}

function dataOf(type: RecordType, value: string): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number))
  if (type === 'CNAME') {
    const labels = value
      .split('.')
      .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'))
    return Buffer.concat([...labels, Buffer.from([0])])
  }
  // Eight groups, written out.
  return Buffer.from(
    value.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  )
}
