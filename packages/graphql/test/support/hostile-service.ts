// The service in a process of its own, for what is measured beside it.
import { serve } from './service.ts'

const service = await serve({ observe: { onEvent: () => {} } })
process.send?.(service.url)
process.on('disconnect', () => process.exit())
