// The service in a separate process, so that measurements do not disturb it.
import { serve } from './service.ts'

const service = await serve({ observe: { onEvent: () => {} } })
process.send?.(service.url)
process.on('disconnect', () => process.exit())
