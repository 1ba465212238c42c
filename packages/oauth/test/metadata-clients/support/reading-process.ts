import { get, type IncomingMessage } from 'node:http'
import { createMetadataClientReader } from '@latchkey/oauth/internal'

const [, , id = ''] = process.argv
const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => get(id, resolve).on('error', reject))
const reader = createMetadataClientReader({ from: 'any', issuer: 'http://127.0.0.1:3000', now: Date.now })
const reading = await reader.read(id, { address: undefined })
console.log(JSON.stringify({ statusCode, reading }))
process.exit(0)
