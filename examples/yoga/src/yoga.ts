import { createYogaPlugin } from '@latchkey/graphql/yoga'
import { createForgeryCheck } from '@latchkey/http'
import { createYoga } from 'graphql-yoga'
import { access, identify } from './access.ts'

const secrets = [{ id: '2026-01', bytes: crypto.getRandomValues(new Uint8Array(32)) }] as const // yours, kept
const forgery = createForgeryCheck({ origins: ['https://example.com'], secrets })

export const yoga = createYoga({
  schema: access.sealed,
  plugins: [createYogaPlugin({ access, identify, forgery })],
})
