import axios from "axios";

// worst: 2 s
export async function GET() {
  await axios.get("https://a.test/x", { timeout: 1_000 });
}
