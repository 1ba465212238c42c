import { createClientRegistry } from '@latchkey/oauth/server'
import { createMemoryDocumentStore } from '@latchkey/store'
import { openServer } from './open-server.ts'

/** A server whose clients can be registered and disabled while it runs. */
export async function openRegistry() {
  const documents = createMemoryDocumentStore()
  const opened = await openServer({ options: { documents } })
  return { opened, registry: createClientRegistry({ documents, now: opened.now }) }
}
