import { chat } from './service.ts'

// A client in a process of its own: sharing the router's event loop would decide how requests arrive.
const [baseUrl, apiKey, count] = process.argv.slice(2)
const answers = await Promise.all(
  Array.from({ length: Number(count) }, async () => {
    const response = await chat({ baseUrl: baseUrl! }, apiKey!, { stream: true })
    await response.text()
    return response.status
  }),
)
console.log(JSON.stringify(answers))
