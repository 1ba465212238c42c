import { createClientRegistry } from '@latchkey/oauth/server'
import { createMemoryClientStore } from '@latchkey/store'
import { openServer } from './open-server.ts'

/** A server whose clients can be registered and disabled while it runs. */
export async function openRegistry() {
  const clients = createMemoryClientStore()
  const opened = await openServer({ options: { clients } })
  return { opened, registry: createClientRegistry({ clients, now: opened.now }) }
}
