import { createApplication } from './application.ts'

const application = await createApplication()
await application.listen(4000, '127.0.0.1')
console.log('NestJS listens at http://127.0.0.1:4000/graphql')
