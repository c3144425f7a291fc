import { call } from "./remote";

class Controller {
  list = async (req, res) => {
    await call("/list", 1500);
    res.json([]);
  };

  async create(req, res) {
    await call("/create", 2500);
    res.json({});
  }
}

export const controller = new Controller();
