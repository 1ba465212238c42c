import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createWeatherService } from './weather-service.ts'

const {
  ISSUER: issuer = 'http://127.0.0.1:4000',
  PORT = '4001',
  KEY_MAX_AGE_SECONDS,
  KEY_COOLDOWN_SECONDS,
} = process.env

const service = createWeatherService({
  issuer,
  audience: issuer,
  ...(KEY_MAX_AGE_SECONDS && { maxAgeSeconds: Number(KEY_MAX_AGE_SECONDS) }),
  ...(KEY_COOLDOWN_SECONDS && { cooldownSeconds: Number(KEY_COOLDOWN_SECONDS) }),
})
service.listen(Number(PORT), '127.0.0.1')
await once(service, 'listening')
const { port } = service.address() as AddressInfo
console.log(`The weather is at http://127.0.0.1:${port} for users of ${issuer}`)
process.once('SIGTERM', () => {
  service.closeAllConnections()
  service.close()
})
