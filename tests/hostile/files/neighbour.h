// What include_neighbour.cu asks for. A submission is compiled alone.
#pragma once
